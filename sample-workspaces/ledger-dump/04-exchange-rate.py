# Convert to euro at today's rate
# purpose: Tries to fetch a rate. There is no network in the sandbox: the rate would have to come as an
# attached file, with its source, which is also what an auditor wants to see.
import socket

with socket.create_connection(("rates.example", 443), timeout=5) as s:
    s.sendall(b"GET / HTTP/1.0\r\n\r\n")

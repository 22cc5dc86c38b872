# Tell the broker
# purpose: Tries to send a mail about the swapped digits. The sandbox has no network, so the step is
# refused, which is as it should be: nothing leaves this machine because a script wants it to.
import smtplib

with smtplib.SMTP("mail.example", timeout=5) as mail:
    mail.sendmail("desk@example.com", "broker@example.com", "Stock: 446.00 should be 464.00")

# Look up the flood zone of a postcode
# purpose: Tries to ask a public service. The sandbox has no network, so this step is refused, and
# the record says what it tried: the zones would have to come as an attached file.
from urllib.request import urlopen

with urlopen("https://flood.example/zone?postcode=LE1+5WW", timeout=5) as answer:
    print(answer.read())

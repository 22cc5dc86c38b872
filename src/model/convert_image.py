"""Pixels of an image as JSON lines [frame, row, 1, null, null, RGBA in hexadecimal], by Pillow where the system's
python3 has it. Runs in the sandbox, which bounds it; what is left out is said by a last line {"more": …}."""
import json
import sys

PIXELS, KINDS = 12 << 20, ("JPEG", "GIF", "BMP", "WEBP", "TIFF")

try:
    from PIL import Image, ImageSequence
except ImportError:
    sys.exit("the system's python3 has no Pillow (Debian has it in python3-pil)")

try:
    Image.MAX_IMAGE_PIXELS = PIXELS
    left = PIXELS
    image = Image.open(sys.argv[2], formats=KINDS)
    for number, frame in enumerate(ImageSequence.Iterator(image), 1):
        width, height = frame.size
        left -= width * height
        if left < 0 and number == 1:
            raise ValueError("%d x %d pixels are over %d" % (width, height, PIXELS))
        if left < 0:
            print(json.dumps({"more": "frames"}))
            break
        name, pixels = "frame %d" % number, frame.convert("RGBA").tobytes()
        print(json.dumps([name]))
        for row in range(height):
            print(json.dumps([name, row + 1, 1, None, None, pixels[row * width * 4:(row + 1) * width * 4].hex()]))
except Exception as fault:
    sys.exit("%s: %s" % (type(fault).__name__, fault))

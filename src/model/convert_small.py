"""A picture small enough to be handed to an assistant: at most 1600 pixels wide or high and 120 kB, as PNG or JPEG on
stdout. Needs Pillow of the system's python3; runs in the sandbox."""
import io
import sys

SIDES, BYTES, PIXELS = (1600, 1200, 900, 600, 300), 120000, 200 << 20

try:
    from PIL import Image
except ImportError:
    sys.exit("the system's python3 has no Pillow (Debian: apt install python3-pil)")


def written(picture, kind, **how):
    to = io.BytesIO()
    picture.save(to, kind, **how)
    return to.getvalue()


def on_white(picture):
    if picture.mode not in ("RGBA", "LA", "PA", "P"):
        return picture.convert("RGB")
    picture = picture.convert("RGBA")
    ground = Image.new("RGB", picture.size, "white")
    ground.paste(picture, mask=picture.getchannel("A"))
    return ground


def small(picture):
    for side in SIDES:
        picture.thumbnail((side, side))
        for kind, how in (("PNG", {"optimize": True}), ("JPEG", {"quality": 85}), ("JPEG", {"quality": 60})):
            data = written(picture, kind, **how)
            if len(data) <= BYTES:
                return data
    raise ValueError("it does not become small")


try:
    Image.MAX_IMAGE_PIXELS = PIXELS // 2  # twice of it is refused
    whole = Image.open(sys.argv[-1], formats=("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"))
    whole.draft("RGB", (SIDES[0], SIDES[0]))
    sys.stdout.buffer.write(small(on_white(whole)))
except Exception as fault:
    sys.exit("%s: %s" % (type(fault).__name__, fault))

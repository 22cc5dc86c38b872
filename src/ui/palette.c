/* Numbers to colours, and back as near as it goes. */
#include "palette.h"

#include <stdint.h>

static const uint8_t palette16[16][3] = {
	{ 0, 0, 0 },       { 205, 0, 0 },   { 0, 205, 0 },   { 205, 205, 0 }, { 0, 0, 238 },   { 205, 0, 205 },
	{ 0, 205, 205 },   { 229, 229, 229 }, { 127, 127, 127 }, { 255, 0, 0 }, { 0, 255, 0 }, { 255, 255, 0 },
	{ 92, 92, 255 },   { 255, 0, 255 }, { 0, 255, 255 }, { 255, 255, 255 },
};

void palette_rgb(int index, int rgb[3])
{
	static const int steps[] = { 0, 95, 135, 175, 215, 255 };

	if (index < 16) {
		for (int i = 0; i < 3; i++)
			rgb[i] = palette16[index][i];
	} else if (index < 232) {
		rgb[0] = steps[(index - 16) / 36];
		rgb[1] = steps[(index - 16) / 6 % 6];
		rgb[2] = steps[(index - 16) % 6];
	} else {
		rgb[0] = rgb[1] = rgb[2] = 8 + 10 * (index - 232);
	}
}

int palette_nearest(const int rgb[3], int colours)
{
	int best = 0, best_distance = INT32_MAX;

	for (int i = colours > 16 ? 16 : 0; i < colours; i++) {
		int c[3];
		palette_rgb(i, c);
		int d = 0;
		for (int k = 0; k < 3; k++)
			d += (rgb[k] - c[k]) * (rgb[k] - c[k]);
		if (d < best_distance) {
			best = i;
			best_distance = d;
		}
	}
	return best;
}

// The colours of single pixels of a picture that is shown.

export type Color = [number, number, number, number];

/** The colour of a pixel, from 0 to 255 each; null where the browser does not tell (a page opened from a file). */
export function colorOf(image: HTMLImageElement, x: number, y: number): Color | null {
  const canvas = onePixel();
  if (!canvas || !image.complete) return null;
  try {
    canvas.clearRect(0, 0, 1, 1);
    canvas.drawImage(image, x, y, 1, 1, 0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha];
  } catch {
    return null;
  }
}

let kept: CanvasRenderingContext2D | null | undefined;

/** One pixel is enough for any picture, and takes no memory for large ones. */
function onePixel(): CanvasRenderingContext2D | null {
  if (kept === undefined) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    kept = canvas.getContext("2d", { willReadFrequently: true });
    if (kept) kept.imageSmoothingEnabled = false;
  }
  return kept;
}

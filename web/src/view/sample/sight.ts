// How a picture lies in its frame: at which scale, and where its upper left corner is. Units are CSS pixels of the frame.

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** `scale` is CSS pixels for one pixel of the picture; `x` and `y` where its corner lies in the frame. */
export interface Sight {
  scale: number;
  x: number;
  y: number;
}

export const LARGEST = 40; // pixels are as large as one can want
const WIDEST = 60_000; // CSS pixels that a browser still draws
const UPSCALED = 4; // small pictures are fitted up to this

/** The scale at which the whole picture is in the frame. */
export function fitScale(picture: Size, frame: Size): number {
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height, UPSCALED);
  return Number.isFinite(scale) && scale > 0 ? scale : 1;
}

export function largestScale(picture: Size, frame: Size): number {
  const room = WIDEST / Math.max(picture.width, picture.height, 1);
  return Math.max(fitScale(picture, frame), Math.min(LARGEST, room));
}

export function fitted(picture: Size, frame: Size): Sight {
  return kept({ scale: fitScale(picture, frame), x: 0, y: 0 }, picture, frame);
}

/** The sight with the picture inside the frame: in its middle where it is smaller, without gaps where it is larger. */
export function kept({ scale, x, y }: Sight, picture: Size, frame: Size): Sight {
  const along = (at: number, length: number, room: number) =>
    length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, at));
  return { scale, x: along(x, picture.width * scale, frame.width), y: along(y, picture.height * scale, frame.height) };
}

/** The sight at another scale, with what lies under a point of the frame still under it. */
export function zoomed(sight: Sight, factor: number, at: Point, picture: Size, frame: Size): Sight {
  const smallest = fitScale(picture, frame);
  const scale = Math.min(largestScale(picture, frame), Math.max(smallest, sight.scale * factor));
  const grown = scale / sight.scale;
  return kept({ scale, x: at.x - (at.x - sight.x) * grown, y: at.y - (at.y - sight.y) * grown }, picture, frame);
}

export function panned(sight: Sight, dx: number, dy: number, picture: Size, frame: Size): Sight {
  return kept({ scale: sight.scale, x: sight.x + dx, y: sight.y + dy }, picture, frame);
}

/** Which pixel of the picture lies under a point of the frame; null beside it. */
export function pixelAt(sight: Sight, at: Point, picture: Size): Point | null {
  const x = Math.floor((at.x - sight.x) / sight.scale);
  const y = Math.floor((at.y - sight.y) / sight.scale);
  return x >= 0 && y >= 0 && x < picture.width && y < picture.height ? { x, y } : null;
}

/** The sight in which a pixel is in view, moved no further than it must be. */
export function showing(sight: Sight, pixel: Point, picture: Size, frame: Size): Sight {
  const margin = 24;
  const along = (corner: number, at: number, room: number) => {
    const shown = corner + (at + 0.5) * sight.scale;
    if (shown < margin) return corner + margin - shown;
    return shown > room - margin ? corner + room - margin - shown : corner;
  };
  const x = along(sight.x, pixel.x, frame.width);
  const y = along(sight.y, pixel.y, frame.height);
  return kept({ scale: sight.scale, x, y }, picture, frame);
}

/** Where a smaller picture lies in the room of a larger one, shares of that room: both keep their shape. */
export function letterboxed(picture: Size, room: Size): { left: number; top: number; width: number; height: number } {
  const scale = Math.min(room.width / picture.width, room.height / picture.height);
  const [width, height] = [(picture.width * scale) / room.width, (picture.height * scale) / room.height];
  return { left: (1 - width) / 2, top: (1 - height) / 2, width, height };
}

/** `#1f5fbf`, and what is not opaque with its share: `#1f5fbf, 50 % opaque`. */
export function colorInWords([red, green, blue, alpha]: [number, number, number, number]): string {
  const hex = [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("");
  return `#${hex} · RGB ${red}, ${green}, ${blue}${alpha < 255 ? ` · ${Math.round((alpha / 255) * 100)} % opaque` : ""}`;
}

/** Percentages for a box in shares of the picture; a box outside of it is cut, one the wrong way round is turned. */
export function boxStyle([left, top, right, bottom]: readonly [number, number, number, number]) {
  const inside = (share: number) => Math.min(1, Math.max(0, share));
  const [x0, x1] = [inside(Math.min(left, right)), inside(Math.max(left, right))];
  const [y0, y1] = [inside(Math.min(top, bottom)), inside(Math.max(top, bottom))];
  const percent = (share: number) => `${Number((share * 100).toFixed(4))}%`;
  return { left: percent(x0), top: percent(y0), width: percent(x1 - x0), height: percent(y1 - y0) };
}

/** Where a pixel lies in the frame: its middle. */
export function onScreen({ scale, x, y }: Sight, pixel: Point): Point {
  return { x: x + (pixel.x + 0.5) * scale, y: y + (pixel.y + 0.5) * scale };
}

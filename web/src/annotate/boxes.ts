// Boxes as shares of the picture's width and height: left, top, right, bottom, each from 0 to 1.

import type { Box } from "./types";

export type Corner = "nw" | "ne" | "sw" | "se";
export const CORNERS: Corner[] = ["nw", "ne", "sw", "se"];
export const SMALLEST = 0.005;
export const FIRST_BOX: Box = [0.3, 0.3, 0.7, 0.7];

const inside = (share: number): number => Math.min(1, Math.max(0, share));
const round = (share: number): number => Math.round(share * 10_000) / 10_000;

/** The box between two points, inside the picture; null where it has hardly an area. */
export function between(x0: number, y0: number, x1: number, y1: number): Box | null {
  const [left, right] = [inside(Math.min(x0, x1)), inside(Math.max(x0, x1))];
  const [top, bottom] = [inside(Math.min(y0, y1)), inside(Math.max(y0, y1))];
  if (right - left < SMALLEST || bottom - top < SMALLEST) return null;
  return [round(left), round(top), round(right), round(bottom)];
}

/** The box at another place, as far as the picture's edges let it, and of the same size. */
export function moved([left, top, right, bottom]: Box, dx: number, dy: number): Box {
  const x = Math.min(1 - right, Math.max(-left, dx));
  const y = Math.min(1 - bottom, Math.max(-top, dy));
  return [round(left + x), round(top + y), round(right + x), round(bottom + y)];
}

/** The box with one corner pulled; it keeps an area and stays inside. */
export function resized([left, top, right, bottom]: Box, corner: Corner, dx: number, dy: number): Box {
  const west = corner.endsWith("w");
  const north = corner.startsWith("n");
  return [
    west ? round(Math.min(right - SMALLEST, inside(left + dx))) : left,
    north ? round(Math.min(bottom - SMALLEST, inside(top + dy))) : top,
    west ? right : round(Math.max(left + SMALLEST, inside(right + dx))),
    north ? bottom : round(Math.max(top + SMALLEST, inside(bottom + dy))),
  ];
}

/** One edge set to a share; null where the box would lose its area. */
export function withEdge(box: Box, edge: 0 | 1 | 2 | 3, share: number): Box | null {
  if (!Number.isFinite(share)) return null;
  const next: Box = [...box];
  next[edge] = round(inside(share));
  return next[2] - next[0] >= SMALLEST && next[3] - next[1] >= SMALLEST ? next : null;
}

const STEP = 0.005;
const FAST = 0.02;
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The box after an arrow key: moved, or with shift its right and lower edges pulled. A held key is faster. */
export function afterArrow(box: Box, key: string, shift: boolean, held: boolean): Box | null {
  const arrow = ARROWS[key];
  if (!arrow) return null;
  const step = held ? FAST : STEP;
  const [dx, dy] = [arrow[0] * step, arrow[1] * step];
  return shift ? resized(box, "se", dx, dy) : moved(box, dx, dy);
}

/** `12–40 % across, 10–35 % down` */
export function inWords([left, top, right, bottom]: Box): string {
  const percent = (share: number) => Math.round(share * 100);
  return `${percent(left)}–${percent(right)} % across, ${percent(top)}–${percent(bottom)} % down`;
}

// The handle between two pictures: how much of the one before is shown, 0 to 100 percent from the left.

const STEPS: Record<string, number> = {
  ArrowLeft: -2,
  ArrowDown: -2,
  ArrowRight: 2,
  ArrowUp: 2,
  PageDown: -10,
  PageUp: 10,
  Home: -100,
  End: 100,
};

export const inPercent = (value: number): number => Math.min(100, Math.max(0, Math.round(value)));

/** Where a key moves the handle; null for a key that does not. */
export function afterKey(value: number, key: string): number | null {
  const step = STEPS[key];
  return step === undefined ? null : inPercent(value + step);
}

/** Where a pointer puts the handle. */
export function atPointer(x: number, area: { left: number; width: number }): number {
  return area.width > 0 ? inPercent((100 * (x - area.left)) / area.width) : 50;
}

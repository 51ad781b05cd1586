// Where keys lead that are pressed faster than samples come.

/** Counts on from the sample that was asked for last, though the page still shows another; what lies between is passed over. */
export class Steps {
  /** The place that is being gone to; -1 for none. */
  private ahead = -1;
  private wish = 0;

  /** From where the next step is counted. */
  from(place: number): number {
    return this.ahead >= 0 ? this.ahead : place;
  }

  to(place: number): void {
    this.ahead = place;
  }

  /** The page has come to a place, or somebody has gone to another one. */
  arrived(): void {
    this.ahead = -1;
    this.wish++;
  }

  /** Looks up the sample that is being gone to, and goes there unless another is wished for before it is found. */
  async leave<Found>(place: number, look: (place: number) => Promise<Found | null>, go: (found: Found) => void): Promise<void> {
    const { ahead } = this;
    if (ahead < 0 || ahead === place) return this.arrived();
    const wish = ++this.wish;
    const found = await look(ahead);
    if (wish !== this.wish) return;
    if (found) go(found);
    else this.arrived();
  }
}

// How wide the steps of a chart are.

/** What is drawn. */
interface Drawn {
  /** Epoch ms. */
  readonly from: number
  readonly to: number
  /** Of what is known, ms. */
  readonly finestMs: number
  /** Steps, at most; 2 or more. */
  readonly points: number
}

/**
 * A multiple of `finestMs`. A step begins at a multiple of its width, whatever `from` is, or a chart that moves on would change its shape: one step more than
 * fit may be touched.
 */
export function widthFor({ from, to, finestMs, points }: Drawn): number {
  const fitting = (steps: number): number => Math.ceil((to - from) / Math.max(1, steps) / finestMs) * finestMs
  const widthMs = fitting(points)
  return Math.ceil(to / widthMs) - Math.floor(from / widthMs) <= points ? widthMs : fitting(points - 1)
}

// What a person is told of while a crawl runs.

/** Something that a person should know of, such as a network that is down or a plugin that throws. */
export interface Problem {
  /** What is wrong, and what to do. */
  readonly message: string
  /** Epoch ms. */
  readonly now: number
  /** Nothing is wrong: it is worth knowing, and reports do not count it. */
  readonly isInformation?: true
}

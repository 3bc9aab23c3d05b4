// What the API has, and what a row of the table has.

/** An offer, as the API has it. */
export interface Offer {
  readonly sku: string
  readonly name: string
  readonly price: number
  readonly tags: readonly string[]
  /** Some offers have it. */
  readonly grams?: number
}

// What the spider finds: one type of item for each of the places where a shop says something.

/** An item. `kind` says which. */
export type Found =
  /** Of the JSON-LD on the page of a product. */
  | {
      readonly kind: 'product'
      readonly sku: string
      readonly name: string
      /** Euro. */
      readonly price: number
      readonly category: string
      readonly url: string
    }
  /** Of the API. */
  | { readonly kind: 'stock'; readonly sku: string; readonly left: number }
  /** Of the pages behind the login. Euro. */
  | { readonly kind: 'member-price'; readonly sku: string; readonly price: number }
  /** The price list: `file` is its reference, by which `avocet export --files` names it. */
  | { readonly kind: 'document'; readonly file: string }

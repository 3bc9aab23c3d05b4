// An item as it was read: its text, and its value once somebody asks for it.
import { fieldOf, isObject } from './field-changes.ts'

/** One of a visit. */
export class ReadItem {
  readonly seq: number
  /** Its place among all items of its visit. */
  readonly ordinal: number
  readonly json: string
  #value: { readonly is: unknown } | undefined

  constructor({ seq, ordinal, json }: { readonly seq: number; readonly ordinal: number; readonly json: string }) {
    this.seq = seq
    this.ordinal = ordinal
    this.json = json
  }

  /** What a damaged store has in place of JSON is a text. */
  get value(): unknown {
    this.#value ??= { is: parsed(this.json) }
    return this.#value.is
  }

  /** A field of it; undefined where it has none of this name, or is no object. */
  field(name: string): unknown {
    const { value } = this
    return isObject(value) ? fieldOf(value, name) : undefined
  }

  /** Its value but for these fields. */
  without(names: ReadonlySet<string>): unknown {
    const { value } = this
    if (names.size === 0 || !isObject(value)) return value
    return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)))
  }
}

/** What a visit brought. */
export interface ReadVisit {
  readonly visit: number
  /** By ordinal. */
  readonly items: readonly ReadItem[]
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return json
  }
}

// What a report is made of: plain data, with quantities already in words. Nothing in it is markup.

/** A span of time. Epoch ms. */
export interface Span {
  readonly from: number
  readonly until: number
}

/** How many requests ended in a stretch of time, and how. */
export interface Stretch {
  /** When it begins; epoch ms. */
  readonly at: number
  readonly requests: number
  /** Refused (429, 503) and failed ones among them. */
  readonly refusals: number
  readonly failures: number
}

/** Requests per second over time. */
export interface RateChart {
  /** For readers who cannot see it. */
  readonly title: string
  readonly span: Span
  /** Width of a stretch, ms. */
  readonly widthMs: number
  readonly stretches: readonly Stretch[]
  /** A dashed line at this height, requests per second, unless it is far above all that was asked. */
  readonly foundRps?: number | null
}

/** Within which time answers began. Ms. */
export interface LatencyQuantiles {
  readonly halfMs: number
  readonly nineInTenMs: number
  readonly most99Ms: number
}

/** Times to the first byte over time. */
export interface LatencyChart {
  readonly span: Span
  /** Width of a step, ms. */
  readonly widthMs: number
  /** `firstByte` null: no answer in this step. */
  readonly steps: readonly { readonly at: number; readonly firstByte: LatencyQuantiles | null }[]
}

/** A figure at the top of the report. */
export interface Fact {
  readonly name: string
  readonly value: string
  readonly note?: string | null
  /** It stands out. */
  readonly isBad?: boolean
}

/** A sentence; pieces with `code` are set as code. */
export type Sentence = string | readonly (string | { readonly code: string })[]

/** A column: a name breaks anywhere, a word nowhere, a number is aligned to the right, a shape cannot be sorted by. */
export interface TableColumn {
  readonly name: string
  readonly kind: 'name' | 'text' | 'word' | 'number' | 'shape'
}

/** A text, a text with the quantity that it is sorted by (`1 min 30 s`: 90), the shape of a rate, or nothing. A number such as `1,204` sorts by itself. */
export type TableCell = string | { readonly text: string; readonly order: number } | RateChart | null

/** A row; its first cell heads it, and one that `isBad` stands out. */
export interface TableRow {
  readonly cells: readonly TableCell[]
  readonly isBad?: boolean
}

/** A part of the report, under a title of its own. */
export type ReportPart =
  | { readonly kind: 'sentence'; readonly text: Sentence }
  | { readonly kind: 'rate'; readonly title: string; readonly chart: RateChart; readonly note: string }
  | { readonly kind: 'latency'; readonly title: string; readonly chart: LatencyChart }
  | {
      readonly kind: 'rates'
      readonly title: string
      readonly note?: string
      /** One chart for each of a few hosts, with a few words beside its name; those in `found` stay on one line. */
      readonly charts: readonly {
        readonly name: string
        readonly note: string
        readonly found?: string
        readonly chart: RateChart
      }[]
    }
  | {
      readonly kind: 'table'
      readonly title: string
      readonly lead?: Sentence
      readonly note?: Sentence
      readonly columns: readonly TableColumn[]
      readonly rows: readonly TableRow[]
      /** Below it: what is not shown. */
      readonly foot?: Sentence
    }

/** A whole report. */
export interface ReportPage {
  readonly title: string
  readonly subtitle: string
  readonly facts: readonly Fact[]
  readonly parts: readonly ReportPart[]
  readonly footer: Sentence
}

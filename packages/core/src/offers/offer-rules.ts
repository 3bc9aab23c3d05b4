// What options of `offerOf` may be, checked once for each options object, and those that hold for one host.
import { patternsOf } from '../host-options.ts'
import {
  anyText,
  checkOptions,
  listOf,
  nonEmptyText,
  oneOf,
  recordOf,
  satisfying,
  tableOf,
  type OptionRules,
} from '../options.ts'
import type { OfferOptions, OfferReading, OfferSelectors, OfferSource } from './offer.ts'

const SOURCES: readonly OfferSource[] = ['json-ld', 'microdata', 'open-graph', 'selectors']

const SELECTORS: OptionRules<OfferSelectors> = {
  ...{ name: nonEmptyText, sku: nonEmptyText, gtin: nonEmptyText, brand: nonEmptyText },
  ...{ price: nonEmptyText, listPrice: nonEmptyText, currency: nonEmptyText, availability: nonEmptyText },
}
const READING: OptionRules<OfferReading> = {
  currency: satisfying('an ISO 4217 code such as EUR', (code) => typeof code === 'string' && /^[A-Z]{3}$/.test(code)),
  decimal: oneOf('.', ','),
  locale: satisfying('a language tag such as de-DE', (tag) => typeof tag === 'string' && isLocale(tag)),
  order: listOf(oneOf(...SOURCES)),
  selectors: tableOf(SELECTORS),
}
const RULES: OptionRules<OfferOptions> = { ...READING, hosts: recordOf(tableOf(READING), anyText) }
/** Options are made once, and used for each page. */
const CHECKED = new WeakSet<object>()

/** The options for `hostKey`. Throws AVO_CONFIG_INVALID for what is no option, or out of range. */
export function offerReadingOf(
  { hosts, ...general }: OfferOptions,
  hostKey: string,
): OfferReading & { readonly order: readonly OfferSource[] } {
  const given = hosts === undefined ? [] : [...patternsOf(hostKey, true)].toReversed().map((pattern) => hosts[pattern])
  const specific = given.map((options) =>
    Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)),
  )
  return Object.assign({ order: SOURCES }, general, ...specific) as OfferReading & { readonly order: readonly OfferSource[] }
}

/** Throws AVO_CONFIG_INVALID for options that are none. */
export function checkOfferOptions(options: OfferOptions): void {
  if (CHECKED.has(options)) return
  checkOptions('offerOf', options, RULES)
  CHECKED.add(options)
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

// All properties that are fuzzed.
import type { Property } from './property.ts'
import { ADDRESS_PROPERTIES } from './properties/addresses.ts'
import { CHARSET_PROPERTIES } from './properties/charsets.ts'
import { CODING_PROPERTIES } from './properties/decoding.ts'
import { DATE_PROPERTIES } from './properties/dates.ts'
import { EXPORT_PROPERTIES } from './properties/exports.ts'
import { FIELD_PROPERTIES } from './properties/fields.ts'
import { LINEAR } from './properties/linear.ts'
import { MEMORY_PROPERTIES } from './properties/memory.ts'
import { PAGE_PROPERTIES } from './properties/pages.ts'
import { PRICE_PROPERTIES } from './properties/prices.ts'
import { PRINTED_PROPERTIES } from './properties/printed.ts'
import { ROBOTS_PROPERTIES } from './properties/robots.ts'
import { SECRET_PROPERTIES } from './properties/secrets.ts'
import { SITEMAP_PROPERTIES } from './properties/sitemaps.ts'
import { TYPED_PROPERTIES } from './properties/typed.ts'
import { URL_PROPERTIES } from './properties/urls.ts'

/** Those that give the same answer on every machine, in the order in which a round tries them. */
export const PROPERTIES: readonly Property[] = [
  ...URL_PROPERTIES,
  ...PAGE_PROPERTIES,
  ...ROBOTS_PROPERTIES,
  ...DATE_PROPERTIES,
  ...FIELD_PROPERTIES,
  ...CHARSET_PROPERTIES,
  ...ADDRESS_PROPERTIES,
  ...EXPORT_PROPERTIES,
  ...CODING_PROPERTIES,
  ...MEMORY_PROPERTIES,
  ...PRICE_PROPERTIES,
  ...PRINTED_PROPERTIES,
  ...SECRET_PROPERTIES,
  ...SITEMAP_PROPERTIES,
  ...TYPED_PROPERTIES,
]

/** What `npm run fuzz` tries. */
export const ALL_PROPERTIES: readonly Property[] = [...PROPERTIES, LINEAR]

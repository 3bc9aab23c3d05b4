// Reads what was typed: values of options, and all those of a crawl.
export {
  given,
  namedStore,
  parseArguments,
  parseDuration,
  parsePositive,
  parseWholeNumber,
  parseWord,
  textOf,
  textsOf,
  type Typed,
} from '../options/values.ts'
export { type CrawlOptions, crawlOptionsOf, type Output } from '../options/crawl-options.ts'
export { type PageAddress, parsePageAddress } from '../options/page-address.ts'

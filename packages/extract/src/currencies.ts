// Currencies as prices name them: codes, symbols, how many digits their smallest unit has, and which separator of decimals goes with them.
//
// Source: ISO 4217 (codes, minor units), CLDR (separators by the locales of a currency). A currency whose locales disagree has no separator here: EUR is
// written with a comma in Berlin and with a point in Dublin.

/** Currencies whose locales all write decimals so. */
const WITH_COMMA = codes(
  'BRL PLN CZK SEK NOK DKK HUF RON BGN RSD TRY RUB UAH BYN IDR VND ARS CLP COP ISK UYU PYG VES KZT MKD BAM GEL AOA AZN MDL XOF XAF',
)
const WITH_POINT = codes('USD GBP JPY CNY INR AUD NZD HKD SGD THB MXN PHP MYR ILS KRW TWD NGN KES PKR LKR BDT GHS')
const WITHOUT_MINOR = codes('JPY KRW VND CLP ISK PYG UGX XAF XOF XPF RWF KMF GNF DJF BIF VUV')
const WITH_THREE = codes('KWD BHD OMR TND JOD IQD LYD')
const OTHER = codes('EUR CHF CAD ZAR SAR AED EGP MAD QAR PEN CRC HRK ALL AMD DOP GTQ JMD MUR NAD TZS UZS BWP BND MMK LBP')
const CODES = new Set([...WITH_COMMA, ...WITH_POINT, ...WITHOUT_MINOR, ...WITH_THREE, ...OTHER])
/** In lower case they are no words of a language. */
const ALSO_IN_LOWER_CASE = codes('EUR USD GBP CHF SEK NOK DKK PLN CZK HUF')

const DOLLARS = 'USD CAD AUD NZD HKD SGD MXN ARS CLP COP TWD'
/** Marks that mean one currency, or several. Letters count only where no other letter is beside them. */
const SYMBOLS: Readonly<Record<string, string>> = {
  ...{
    '€': 'EUR',
    '£': 'GBP',
    '¥': 'JPY CNY',
    円: 'JPY',
    元: 'CNY TWD',
    '₹': 'INR',
    '₽': 'RUB',
    '₩': 'KRW',
    원: 'KRW',
    '₫': 'VND',
  },
  ...{ '₪': 'ILS', '₺': 'TRY', '₴': 'UAH', '₦': 'NGN', '₱': 'PHP', '฿': 'THB', '₸': 'KZT', '₾': 'GEL', '₼': 'AZN', '₡': 'CRC' },
  ...{ '₲': 'PYG', '₵': 'GHS', 'د.إ': 'AED', 'ر.س': 'SAR', 'ج.م': 'EGP', 'د.ك': 'KWD' },
  ...{ R$: 'BRL', US$: 'USD', U$S: 'USD', CA$: 'CAD', C$: 'CAD', AU$: 'AUD', A$: 'AUD', NZ$: 'NZD', HK$: 'HKD', SG$: 'SGD' },
  ...{ S$: 'SGD', MX$: 'MXN', NT$: 'TWD', RD$: 'DOP', J$: 'JMD', Mex$: 'MXN', $: DOLLARS },
  ...{ 'US $': 'USD', 'CA $': 'CAD', 'C $': 'CAD', 'AU $': 'AUD', 'NZ $': 'NZD', 'HK $': 'HKD' },
  ...{ '$ US': 'USD', $US: 'USD', '$ CA': 'CAD', $CA: 'CAD', '$ AU': 'AUD' },
  ...{ 'CN¥': 'CNY', 'JP¥': 'JPY', 'E£': 'EGP', 'L£': 'LBP' },
  ...{ Euro: 'EUR', Euros: 'EUR', euro: 'EUR', euros: 'EUR', zł: 'PLN', Kč: 'CZK', Ft: 'HUF', lei: 'RON MDL', Lei: 'RON MDL' },
  ...{
    'kr.': 'SEK NOK DKK ISK',
    kr: 'SEK NOK DKK ISK',
    Kr: 'SEK NOK DKK ISK',
    'лв.': 'BGN',
    лв: 'BGN',
    'руб.': 'RUB',
    руб: 'RUB',
  },
  ...{
    'грн.': 'UAH',
    грн: 'UAH',
    TL: 'TRY',
    'Rs.': 'INR PKR LKR',
    Rs: 'INR PKR LKR',
    Rp: 'IDR',
    RM: 'MYR',
    KM: 'BAM',
    đ: 'VND',
    R: 'ZAR',
  },
  ...{ 'SFr.': 'CHF', SFr: 'CHF', 'Fr.': 'CHF', 'fr.': 'CHF', KSh: 'KES' },
}
/** Some other dollar, pound or yen: `TT$`; not a word, whose element ends before the sign. */
const UNKNOWN_SYMBOL = String.raw`(?<!\p{L})(?!(?:NOW|WAS|RRP|SRP|FOR|NUR|UVP|PVP|AB|DA|AT|TO|NU)[$£¥])\p{Lu}{1,3}[$£¥]`
const MARK = new RegExp(
  [
    ...Object.keys(SYMBOLS)
      .toSorted((a, b) => b.length - a.length)
      .map((symbol) => {
        const text = symbol.replaceAll(/[$.]/g, String.raw`\$&`)
        const before = /^\p{L}/u.test(symbol) ? String.raw`(?<!\p{L})` : ''
        return `${before}${text}${/[A-Za-zа-я]$/u.test(symbol) ? String.raw`(?!\p{L})` : ''}`
      }),
    UNKNOWN_SYMBOL,
  ].join('|'),
  'gu',
)
/** `CAD $12.99`: one mark, where a currency with that code has that sign. `ALL $12.99` are not leks. */
const CODE_AND_SYMBOL =
  /(?<!\p{L})(?:(?:[A-Z]{2}D|ARS|CLP|COP|DOP|MXN|UYU|BRL|NIO) ?\$|(?:GBP|EGP|LBP|SYP|SSP|GIP|FKP|SHP) ?£|(?:JPY|CNY) ?¥|EUR ?€)(?=\s?[-–]?\d)/gu
/** A code counts beside a number: `TRY` and `ALL` are words as well. */
const CODE = /(?<!\p{L})([A-Za-z]{3})(?=[\s:]{0,2}[-–]?\d)|(?<=\d[-–—.,]{0,3}\s?[-–—]?)([A-Za-z]{3})(?!\p{L})/gu

/** Longer texts are no names. */
const MAX_NAME = 32

/** In place of the mark of a currency. */
export const CURRENCY_MARK = '¤'

/** A text in which marks of currencies are `¤`. */
export interface WithoutCurrencies {
  readonly text: string
  /** For each different mark, what it may mean. */
  readonly marks: readonly (readonly string[])[]
}

/** Replaces codes and symbols in `text`. */
export function withoutCurrencies(text: string): WithoutCurrencies {
  const marks = new Map<string, readonly string[]>()
  const mark = (written: string, code = written): string => {
    const known = currencyCode(code)
    if (known === undefined) return written
    marks.set(known, [known])
    return CURRENCY_MARK
  }
  const replaced = text
    .replaceAll(CODE_AND_SYMBOL, (written) => mark(written, written.slice(0, 3)))
    .replaceAll(CODE, (written) => mark(written))
    .replaceAll(MARK, (symbol: string) => {
      const meant = SYMBOLS[symbol]
      marks.set(meant ?? symbol, meant?.split(' ') ?? [])
      return CURRENCY_MARK
    })
  return { text: replaced, marks: [...marks.values()] }
}

/** What all of `marks` may mean: `$` and `CAD` are Canadian dollars. */
export function meantByAll(marks: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = marks
  return first.filter((currency) => others.every((meant) => meant.includes(currency)))
}

/** `code` in capitals if it is one of ISO 4217 that this knows; of those in lower case only a few. */
function currencyCode(code: string): string | undefined {
  if (CODES.has(code)) return code
  const capitals = code.toUpperCase()
  return ALSO_IN_LOWER_CASE.has(capitals) ? capitals : undefined
}

/** The code of what data names as a currency: `EUR`, `eur`, `€`; undefined where that may be several: `$`. */
export function currencyNamed(text: string): string | undefined {
  const name = text.trim()
  // `Lei` is no code, and a code that this does not know is one all the same.
  if (/^[A-Za-z]{3}$/.test(name) && (/^[A-Z]{3}$/.test(name) || CODES.has(name.toUpperCase()))) return name.toUpperCase()
  const [meant = [], ...others] = withoutCurrencies(name.slice(0, MAX_NAME)).marks
  return meant.length === 1 && others.length === 0 ? meant[0] : undefined
}

/** Digits of the smallest unit. */
export function minorDigits(currency: string): 0 | 2 | 3 {
  return WITHOUT_MINOR.has(currency) ? 0 : WITH_THREE.has(currency) ? 3 : 2
}

/** The separator of decimals that all of `currencies` are written with; undefined when they differ, or nobody knows. */
export function separatorOf(currencies: readonly string[]): '.' | ',' | undefined {
  if (currencies.length === 0) return undefined
  if (currencies.every((currency) => WITH_COMMA.has(currency))) return ','
  return currencies.every((currency) => WITH_POINT.has(currency)) ? '.' : undefined
}

function codes(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

// Names of months and days of the week: on a page of a date they say no more than the date.

/** Languages of calendars that are met most. */
const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'ja', 'zh']
/** A leap year has each day of the year, and with it each month and weekday. */
const YEAR = 2024

let known: ReadonlySet<string> | undefined

/** The words, as they are written in texts. Made on first use: it takes some 10 ms. */
export function dateWords(): ReadonlySet<string> {
  known ??= new Set(LOCALES.flatMap((locale) => wordsIn(locale)))
  return known
}

function wordsIn(locale: string): string[] {
  const words: string[] = []
  for (const style of ['long', 'short'] as const) {
    const months = new Intl.DateTimeFormat(locale, { month: style, timeZone: 'UTC' })
    const weekdays = new Intl.DateTimeFormat(locale, { weekday: style, timeZone: 'UTC' })
    for (let month = 0; month < 12; month++) words.push(months.format(Date.UTC(YEAR, month, 1)))
    for (let day = 1; day <= 7; day++) words.push(weekdays.format(Date.UTC(YEAR, 0, day)))
  }
  const bare = words.map((word) => word.replace(/\.$/, ''))
  return bare.flatMap((word) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toLowerCase(), word.toUpperCase()])
}

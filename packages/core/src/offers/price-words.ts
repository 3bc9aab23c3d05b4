// Words around a price that change what it is: "from", "free", "on request", "up to", in the languages of many shops.

/** A lower bound, when it is before the number. */
const FROM =
  /(?<!\p{L})(?:from|starting at|starts at|starting from|as low as|ab|à partir de|a partir de|dès|desde|da|a partire da|vanaf|från|fra|alkaen|od|от|начиная с|já od|già da|dal|alates|nuo|no(?![.º°])|de la|από|başlayan|at least|more than|over|mind\.?|mindestens|min\.?|minimum|über|mehr als|plus de|au moins|al menos|más de|più di|almeno|vähintään|minst|fler än)(?!\p{L})|≥/iu
/** A lower bound, when it is after the number. */
const FROM_AFTER = /(?:〜|～|~|から|より|起|(?<!\p{L})(?:alkaen|and up|or more|\+|'dan başlayan))\s*¤?$/iu
const UP_TO =
  /(?<!\p{L})(?:up to|bis zu|bis|jusqu['’]à|hasta|fino a|até|tot|upp till|opp til|op til|do|до|max\.?|maximum|maximal|höchstens|under|below|less than|at most|unter|weniger als|moins de|menos de|meno di|minder dan|maks\.?|högst|mindre än)(?!\p{L})|[≤<]/iu
const APPROXIMATELY =
  /(?<!\p{L})(?:ca\.?|circa|approx\.?|approximately|about|env\.?|environ|ungefähr|примерно|около)(?!\p{L})|[≈~]/iu
const FREE =
  /^[\s(]*(?:(?:for )?free|free of charge|gratis|kostenlos|umsonst|gratuit|gratuite|gratuito|grátis|gratuita|za darmo|zdarma|ingyenes|бесплатно|безкоштовно|ücretsiz|無料|免费|免費|무료|مجاني|δωρεάν|ilmainen)[\s!.)]*$/iu
const ON_REQUEST =
  /(?<!\p{L})(?:(?:price )?(?:up)?on (?:request|application|demand)|request a quote|call for price|contact us|poa|auf anfrage|preis auf anfrage|(?:prix )?sur (?:demande|devis)|nous consulter|su richiesta|a consultar|consultar(?: precio)?|sob consulta|op aanvraag|på begäran|på forespørgsel|na zapytanie|na dotaz|по запросу|お問い合わせ|要相談|询价|詢價)(?!\p{L})/iu
const BETWEEN = /(?<!\p{L})(?:between|zwischen|entre|tra|fra|tussen|mellan|mellem|między|между|mezi)(?!\p{L})/iu
const TO = /^(?:[-–—~〜～]|to|till|until|bis|à|a|al|hasta|até|tot|till|til|do|до|ate|から|…|\.\.\.?)$/iu
const AND = /^(?:and|und|et|y|e|en|och|og|i|и|a)$/iu

/** What the text before the first number says of it. */
export function saidBefore(text: string): 'from' | 'up-to' | 'approximate' | 'between' | undefined {
  if (BETWEEN.test(text) && !/(?<!\p{L})(?:from|ab)(?!\p{L})/iu.test(text)) return 'between'
  if (FROM.test(text)) return 'from'
  if (UP_TO.test(text)) return 'up-to'
  return APPROXIMATELY.test(text) ? 'approximate' : undefined
}

/** Whether `text`, before the first number, has letters beside those that make it a lower bound. */
export function hasOtherWords(text: string): boolean {
  return /\p{L}/u.test(text.replace(FROM, ''))
}

/** Whether what follows the number says that it is a lower bound. */
export function isFromAfter(text: string): boolean {
  return FROM_AFTER.test(text)
}

/** Whether `text`, between two numbers, makes a range of them. */
export function joinsRange(text: string, isBetween: boolean): boolean {
  return TO.test(text) || (isBetween && AND.test(text))
}

/** What a text without a number says. */
export function saidWithoutNumber(text: string): 'free' | 'on-request' | undefined {
  if (ON_REQUEST.test(text)) return 'on-request'
  return FREE.test(text) ? 'free' : undefined
}

// Words around a price that change what it is: "from", "free", "on request", "up to", in the languages of many shops.

/** A lower bound, when it is before the number. */
const FROM =
  /(?<!\p{L})(?:from|starting at|starts at|starting from|as low as|ab|à partir de|a partir de|dès|desde|da|a partire da|vanaf|från|fra|alkaen|od|от|начиная с|já od|già da|dal|alates|nuo|no(?![.º°])|de la|από|başlayan|at least|more than|over|mind\.?|mindestens|min\.?|minimum|über|mehr als|plus de|au moins|al menos|más de|più di|almeno|vähintään|minst|fler än)(?!\p{L})|≥/iu
/** Says that a price comes. */
const LABEL =
  /(?<!\p{L})(?:price|preis|prix|precio|prezzo|preço|prijs|pris|cena|hinta|ár|цена|only|now|nur|jetzt|nu|nå|maintenant|ahora|ora|agora)(?!\p{L})/giu
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

/** What is saved, or to be paid beside the price, when it is right before the number. `bound`: what it is paid for. */
const OTHER_BEFORE =
  /(?:^|\s)\+\s*$|(?<!\p{L})(?<word>save|savings?|discount|sparen|sparst|spare|ersparnis|rabatt|nachlass|remise|réduction|économisez|économie|descuento|ahorra[sn]?|sconto|risparmi[oa]?|korting|bespaar|rabat|скидка|экономия|zzgl\.?|(?:shipping|delivery|postage|versand(?:kosten)?|lieferung|porto|livraison|frais de port|envío|spedizione|verzendkosten|verzending|frakt|fragt|доставка|(?<deposit>pfand|deposit|kaution|consigne|statiegeld|pant))\s*:?\s*(?<bound>(?:on (?:all )?orders? )?(?:ab|über|over|from|für|for|von|of|dès|desde|da|od|от))?)\s*:?\s*$/iu
/** Right before such a word: the price has it in it, or it costs nothing. */
const WITH =
  /(?<!\p{L})(?:after|nach|inkl\.?|incl\.?|inclu\p{L}*|mit|with|con|avec|après|dopo|met|med|efter|free|kostenlos\p{L}*|gratis|gratuit\p{L}*|fri)\s+(?:(?:the|lo|la|le|el|de|het)\s+)?$/iu
const SAVED = /(?<!\p{L})(?:you save|sparen|sparst|ersparnis|économisez|ahorra[sn]?|risparmi\p{L}*|bespaar)(?!\p{L})/iu
/** The same when it is right after it. */
const OTHER_AFTER =
  /^\s*(?:off|rabatt|discount|günstiger|billiger|sparen|gespart|ersparnis|nachlass|de réduction|de remise|korting|(?:de )?descuento|dto|(?:di )?sconto|rabatu?|скидки|pfand|deposit)(?!\p{L})/iu
/** No money, where no currency is named. */
const MEASURE =
  /^\s?(?:kg|g|mg|lbs?|oz|l|ml|cl|dl|km|m|cm|mm|in|ft|[cm]?m²|kwh|wh|w|v|[gtm]b|h|min|days?|tagen?|stück|stk|pcs|pieces|left|sold|reviews?|bewertungen|points?|punkte|pts)(?!\p{L})/iu
/** Behind an amount with cents, "in" begins other words: `19.99 in stock`. */
const IN_WORDS = /^\s?in\s+\p{L}/iu
/** A price that nobody pays today. */
const LIST_PRICE =
  /(?<!\p{L})(?:was|rrp|msrp|srp|list price|original price|uvp|statt|früher|vorher|unser alter preis|au lieu de|prix conseillé|antes|precio anterior|prima(?=[\s:]*[€$£\d])|anziché|adviesprijs|(?<!prijs )van|ord\. pris|tidigare|før|dříve|zamiast|вместо)(?!\p{L})/iu

/** The only number of a text, and what stands around it. */
export interface AmountInText {
  readonly before: string
  readonly amount: string
  readonly after: string
  readonly hasCurrency: boolean
}

/** Whether the text around the only number, `amount`, says that it is another amount than the price. */
export function isOtherAmount({ before, after, amount, hasCurrency }: AmountInText): boolean {
  if (isBeside(before) || OTHER_AFTER.test(after)) return true
  return !hasCurrency && MEASURE.test(after) && !(/[.,]\d{2}$/.test(amount) && IN_WORDS.test(after))
}

function isBeside(before: string): boolean {
  const found = OTHER_BEFORE.exec(before)
  if (found === null) return false
  const head = before.slice(0, found.index)
  const { word, bound, deposit } = found.groups ?? {}
  // "inkl. Pfand 0,25 €" may be either.
  return word === undefined || bound !== undefined || deposit !== undefined || !WITH.test(head) || SAVED.test(head)
}

/** Whether `text` says that its amount was the price once, or is what a maker suggests. */
export function isListPrice(text: string): boolean {
  return LIST_PRICE.test(text)
}

/** What the text before the first number says of it. */
export function saidBefore(text: string): 'from' | 'up-to' | 'approximate' | 'between' | undefined {
  if (BETWEEN.test(text) && !/(?<!\p{L})(?:from|ab)(?!\p{L})/iu.test(text)) return 'between'
  if (FROM.test(text)) return 'from'
  if (UP_TO.test(text)) return 'up-to'
  return APPROXIMATELY.test(text) ? 'approximate' : undefined
}

/** Whether `text`, before the first number, has letters beside those that say that a price comes, or that make it a lower bound. */
export function hasOtherWords(text: string): boolean {
  return /\p{L}/u.test(text.replace(FROM, '').replaceAll(LABEL, ''))
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

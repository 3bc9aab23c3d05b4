// Whether something can be bought now, by schema.org's names, by those of Open Graph, or by the words of shops.

/** Whether it can be bought, in words of schema.org's ItemAvailability. */
export type Availability =
  | 'in-stock'
  | 'limited'
  | 'online-only'
  | 'in-store-only'
  | 'made-to-order'
  | 'pre-order'
  | 'pre-sale'
  | 'back-order'
  | 'reserved'
  | 'out-of-stock'
  | 'sold-out'
  | 'discontinued'

/** Names without capitals and separators. Source: schema.org/ItemAvailability; product:availability of Open Graph. */
const NAMES: Readonly<Record<string, Availability>> = {
  ...{ instock: 'in-stock', limitedavailability: 'limited', onlineonly: 'online-only', instoreonly: 'in-store-only' },
  ...{ madetoorder: 'made-to-order', preorder: 'pre-order', presale: 'pre-sale', backorder: 'back-order', reserved: 'reserved' },
  ...{ outofstock: 'out-of-stock', soldout: 'sold-out', discontinued: 'discontinued' },
  ...{
    available: 'in-stock',
    oos: 'out-of-stock',
    availablefororder: 'back-order',
    backordered: 'back-order',
    unavailable: 'out-of-stock',
  },
}
/** Words of shops; the first that matches counts, so what denies goes first. */
const WORDS: readonly (readonly [RegExp, Availability])[] = [
  [
    /sold out|ausverkauft|épuisé|esaurito|agotado|esgotado|uitverkocht|slutsåld|udsolgt|utsolgt|wyprzedan|vyprodáno|распродано|売り切れ|完売|售罄/iu,
    'sold-out',
  ],
  [
    /discontinued|no longer available|nicht mehr (?:lieferbar|verfügbar)|plus disponible|descatalogado|fuori produzione/iu,
    'discontinued',
  ],
  [
    /out of stock|not (?:currently )?(?:in stock|available)|no longer in stock|unavailable|nicht (?:mehr )?(?:auf lager|verfügbar|lieferbar|vorrätig)|rupture de stock|indisponible|(?:pas|plus) en stock|hors stock|(?:non|pas) disponible|non disponibile|no disponible|sin (?:existencias|stock)|sem (?:estoque|stock)|indisponível|niet (?:op voorraad|leverbaar|beschikbaar)|(?:ej|inte|slut) i lager|ikke på lager|brak na stanie|nie ma na stanie|niedostępn|brak w magazynie|není skladem|nincs (?:készleten|raktáron)|нет в наличии|在庫なし|品切れ|缺货|缺貨|품절/iu,
    'out-of-stock',
  ],
  [/pre-?order|vorbestell|précommande|preordine|preventa|pré-venda|予約/iu, 'pre-order'],
  [/back-?order|nachbestell|op bestelling|sur commande/iu, 'back-order'],
  [/only \d+ left|few left|low stock|nur noch|plus que \d+|ultimi pezzi|últimas? unidades|残りわずか/iu, 'limited'],
]
const IN_STOCK =
  /(?<!\p{L})(?:in stock|available|auf lager|sofort lieferbar|lieferbar|vorrätig|verfügbar|en stock|disponible|disponibile|disponível|in magazzino|em estoque|op voorraad|i lager|på lager|dostępn|na stanie|skladem|készleten|raktáron|в наличии)|在庫あり|有货|現貨|재고 있음/iu
/** Right before that: a "not" of any language, none of a number, or a condition. Nobody knows what is meant then, so it is not read. */
const NOT_BEFORE =
  /(?<!\p{L})(?:not?|non|never|pas|plus(?! de \d)|jamais|nicht|kein\p{L}*|ei|ej|inte|ikke|niet|geen|sin|sem|senza|sans|hors|slut|brak|nie|není|nincs|nem|нет|не|немає|when|once|if|until|notify|wenn|sobald|quand|lorsque|cuando|quando|wanneer|(?<![\d.,])0)(?!\p{L})[^.!?;,:|]{0,20}$/iu
const NOT_AFTER = /^\s*[:(]\s*(?:0(?!\d)|no|nein|non|false)(?!\p{L})/iu
/** Some day. */
const LATER =
  /(?<!\p{L})(?:soon|later|yet|available (?:from|on)|(?:verfügbar|lieferbar) (?:ab|am) (?=\d)|bald|demnächst|(?<!^(?:(?:jetzt|nun|endlich|sofort|ab sofort) )?)wieder|wieder [\p{L} ]+ (?:ab|am|in)|bientôt|prochainement|pronto|próximamente|em breve|binnenkort|wkrótce|brzy|hamarosan|скоро)(?!\p{L})/iu
const NOTIFY = /(?<!\p{L})(?:notify|benachrichtig)/iu
/** Where something else begins: "In stock, ships soon". */
const NEXT_CLAUSE = /[.!?;,:|(]| [-–—] /u

/** Longer texts are no statement about availability. */
const MAX_CHARACTERS = 200

/** What `text` says: a URL or name of schema.org, or words; undefined for what it does not know. */
export function availabilityOf(text: string): Availability | undefined {
  if (text.length > MAX_CHARACTERS) return undefined
  const name = text
    .trim()
    .replace(/^.*(?:schema\.org\/|schema:)/i, '')
    .replace(/\/$/, '')
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
  if (Object.hasOwn(NAMES, name)) return NAMES[name]
  return WORDS.find(([words]) => words.test(text))?.[1] ?? (isInStock(text) ? 'in-stock' : undefined)
}

function isInStock(text: string): boolean {
  const found = IN_STOCK.exec(text)
  if (found === null || NOTIFY.test(text)) return false
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)]
  const [clause = ''] = after.split(NEXT_CLAUSE, 1)
  return !LATER.test(before + found[0] + clause) && !NOT_BEFORE.test(before) && !NOT_AFTER.test(after)
}

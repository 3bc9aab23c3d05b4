// What parsers of what a server sends know, and what would make them try again: what fuzzers put texts together from, and what the tests repeat.

/** Of documents. */
export const HTML_TOKENS: readonly string[] = [
  ...[
    '<',
    '>',
    '</',
    '<a',
    '<a>',
    '<a ',
    '<a href=x>',
    '<a href="',
    "='",
    '<!--',
    '-->',
    '--',
    '-',
    '<!',
    '<?',
    '<![CDATA[',
    ']]>',
  ],
  ...['<svg>', '<math>', '<b>', '<script>', '</script', '<script><!--<script>', '<script><!--</script>', '<title>', '</title'],
  ...['<meta name=robots content=x>', '<noscript>', '<base href=x>', '<link rel=canonical href=x>'],
  ...['&', '&amp;', '&lt', '&#x41;', ' ', '\t ', '\r', '\v', '\0', 'é', '漢', '😀', '\ud800', '\u202e', '\u00ad', 'a=b ', '/'],
]

/** Of URLs. */
export const URL_TOKENS: readonly string[] = [
  ...['/', '../', './', '%', '%2e', '%41', '?', '&', '&a=b', '=', '#', ':', '@', '.', '\\', '[', 'é', '漢', 'a', ' ', '\n'],
  ...['xn--', '0.', '+', ';', 'http://', 'https:', 'a:b@', '/index.htm'],
]

/** Of header fields. */
export const FIELD_TOKENS: readonly string[] = [
  ...[' ', '\t', ';', ',', '=', '"', '""', "'", '\\', '\\"', '/', ':', ': ', '-', '.', '. ', '*', 'a', 'é', '\u00ff'],
  ...['1', '0', '-1', '1e3', '.5', '1.', '1, ', '1;', '99999999999999999', 'NaN', '?1', '@1', ':YQ==:'],
  ...[
    'a=b',
    'a=b;',
    'x;',
    ';w=1',
    ';q=1',
    ';r=2',
    ';t=3',
    ';qu="requests"',
    'limit=1',
    'remaining=',
    'reset=',
    '__proto__',
    '__proto__=1',
  ],
  ...[
    'charset=',
    'charset="',
    'charset=utf-8',
    'text/html',
    'gzip',
    'identity',
    'noindex',
    'noindex,',
    'none',
    'bot:',
    'url=',
    'GMT',
  ],
]

/** Of robots.txt. */
export const ROBOTS_TOKENS: readonly string[] = [
  ...['\n', '\r\n', ' ', ':', '#', '*', '*a', '$', '/', '%', '%41', 'é', 'a', '/index.htm'],
  ...['User-agent: a\n', 'User-agent: *\n', 'Disallow: /a\n', 'Allow: /*a\n', 'Crawl-delay: 1\n', 'Sitemap: /a\n'],
]

/** Of bodies with secrets in them. */
export const SECRET_TOKENS: readonly string[] = [
  ...HTML_TOKENS,
  ...[
    'token',
    'token=',
    '?token=',
    '"token":"',
    "token: '",
    'token = `',
    '"token": 1234567',
    '<token>',
    '<input name=token value=',
    ' value="',
  ],
  ...['%22', '%2522', '\\"', '\\\\', '\\u0022', '&quot;', '&#34;', 'a1b2c3d4', 'a1b2'],
]

/** Of sitemaps and feeds. */
export const SITEMAP_TOKENS: readonly string[] = [
  ...[
    '<urlset>',
    '<url>',
    '<loc>',
    '</loc>',
    '</url>',
    '<loc/>',
    '<lastmod>',
    '<sitemapindex>',
    '<sitemap>',
    '<rss>',
    '<item>',
    '<link>',
    '<feed>',
    '<entry>',
  ],
  ...[
    '<link href="x"/>',
    '<s:url>',
    '<',
    '</',
    '>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?xml encoding="',
    '<!DOCTYPE x [',
    ']>',
    '&',
    '&amp;',
    '&#',
  ],
  ...['<html>', 'https://shop.example/', '2026-01-01', '\n', ' ', '\0', 'é', '{"items":[', '"url":', '\u001f\u008b'],
]

/** Of JSON in pages. */
export const JSON_TOKENS: readonly string[] = [
  ...['{', '}', '[', ']', '[]', '{}', ',', ', ', ':', '"', '""', '"a":', '\\', '\\"', '\\u00', "'", ';', '1', 'null'],
  ...['/*', '*/', '/', '//', '//\n', '<!--', '-->', '<![CDATA[', ']]>', '&quot;', '\n', '\u{FEFF}'],
]

/** Of prices. */
export const PRICE_TOKENS: readonly string[] = [
  ...[
    '1',
    '12',
    '299',
    '000',
    '.',
    ',',
    "'",
    '’',
    ' ',
    '\u00A0',
    '\u202F',
    '-',
    '–',
    '.–',
    '~',
    '/',
    '(',
    ')',
    '%',
    '19%',
    '1.299',
    '1,299.00',
  ],
  ...[
    '€',
    '£',
    '$',
    'R$',
    '¥',
    '円',
    'kr',
    'kr.',
    'EUR',
    'USD',
    'TRY',
    'from ',
    'ab ',
    ' to ',
    ' bis ',
    'à',
    'per kg',
    '/kg',
    'x',
    '万',
    'free',
  ],
  ...['٣', '१', '１', '⁹⁹', '\u066B', '\u066C', 'in stock', 'nicht', 'schema.org/', 'on request', '\u200F'],
]

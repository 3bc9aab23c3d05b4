// Sitemaps from the tests of other crawlers, each with its source: facts about the format, cut to what they are about.

/** One document, and the URLs in it. */
export interface KeptRow {
  readonly source: string
  readonly url: string
  readonly strict: boolean
  readonly body: string
  readonly urls: readonly string[]
}

/** Of crawler-commons (Apache-2.0) and Scrapy (BSD-3-Clause). */
export const KEPT_ROWS: readonly KeptRow[] = [
  {
    source: 'crawler-commons SiteMapParserTest.testUnclosedSitemapIndexFile',
    url: 'http://www.example.com/sitemapindex.xml',
    strict: true,
    body: '<sitemapindex><sitemap><loc>https://www.example.org/1.xml</loc><lastmod>2004-10-01</lastmod><loc>https://www.example.org/2.xml</loc></sitemap>',
    urls: ['https://www.example.org/1.xml', 'https://www.example.org/2.xml'],
  },
  {
    source: 'crawler-commons SiteMapParserTest.testPartialSitemapsAllowed',
    url: 'http://www.example.com/subsection/sitemap.xml',
    strict: false,
    body: '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://www.example.com/</lo',
    urls: ['http://www.example.com/'],
  },
  {
    source: 'crawler-commons SiteMapParserTest.testSitemapWithWrongNamespace',
    url: 'http://www.example.com/sitemap.badns.xml',
    strict: true,
    body: '<urlset xmlns="http://www.google.com/schemas/sitemap/0.9"><url><loc>http://www.example.com/1</loc></url></urlset>',
    urls: [],
  },
  {
    source: 'crawler-commons SiteMapParserTest.testSitemapTXTfilterUrls',
    url: 'http://www.example.com/sitemap.txt',
    strict: true,
    body: '\nwww.example.com/catalog?item=1\nhttp://www.example.com/catalog?item=11#anchor\nno url\n',
    urls: ['http://www.example.com/catalog?item=1', 'http://www.example.com/catalog?item=11'],
  },
  {
    source: 'scrapy tests/test_utils_sitemap.py::test_sitemap_wrong_ns',
    url: 'http://www.example.com/sitemap.xml',
    strict: false,
    body: '<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url xmlns=""><loc>http://www.example.com/2</loc><lastmod></lastmod></url></urlset>',
    urls: ['http://www.example.com/2'],
  },
]

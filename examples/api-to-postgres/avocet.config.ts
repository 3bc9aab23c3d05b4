// Where the offers go: a row for each, in the table `offers` of the database that DATABASE_URL or the variables of libpq (PGHOST, …) name.
import { defineCrawl } from 'avocet'
import { postgres } from '@avocet/sink-postgres'

const { DATABASE_URL: url } = process.env

export default defineCrawl({
  userAgent: 'api-to-postgres (+https://example.org/bot)',
  sinks: [
    postgres({
      ...(url !== undefined && { url }),
      table: 'offers',
      columns: { sku: 'text', name: 'text', price: 'numeric(10,2)', tags: 'text[]', more: '@extra', page: '@url', seen: '@time' },
      key: ['sku'],
    }),
  ],
})

// The sink: items go as lines into objects, which are marked when they are complete.
import type { Json } from '@avocet/core'
import { reportedOptions } from '@avocet/core/plugin'
import { SinkDown, type Sink, type SinkSession } from '@avocet/core/sink'
import { PartSeries } from '@avocet/delivery/files'
import { credentialsOf } from './credentials.ts'
import { OpenBucket } from './open-bucket.ts'
import { checkS3, s3Rules, type S3Options } from './options.ts'
import { S3Client } from './s3-client.ts'

/**
 * Writes items to S3 or a compatible store (MinIO, R2, Garage): `prefix/000001.jsonl.gz` and so on, each item once. An object is complete, and can be read,
 * when it is large or old enough, or the run has ended.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown or out of range. When it opens, AVO_OUTPUT_UNWRITABLE for objects of another crawl.
 *
 * @example
 * ```ts
 * const sinks = [s3({ bucket: 'harvest', prefix: 'offers', region: 'eu-central-1' })]
 * ```
 * Source: Amazon S3 API reference; conditional writes as of 2024-11.
 */
export function s3<Item = Json>(options: S3Options<Item>): Sink<Item> {
  checkS3(options)
  const { filter, bucket, prefix, credentials, fetch = globalThis.fetch, ...shown } = options
  const { name = `s3:${bucket}${prefix ? `/${prefix}` : ''}` } = options
  let open: PartSeries | undefined
  const opened = (): PartSeries => {
    if (open === undefined) throw new Error('expected the S3 sink to be open')
    return open
  }
  return {
    name,
    ...(filter !== undefined && { filter }),
    ...(options.columns && { columns: options.columns }),
    options: { bucket, ...(prefix !== undefined && { prefix }), ...reportedOptions(shown) },
    async open(session: SinkSession) {
      const { filter: _filter, ...rest } = options
      const rules = s3Rules(rest)
      const { AwsClient } = await import('aws4fetch')
      const aws = new AwsClient({ ...(await credentialsOf(credentials)), service: 's3', region: rules.region, retries: 0 })
      const client = new S3Client({ bucketUrl: rules.bucketUrl, aws, clock: session.clock, fetch })
      const bucket = new OpenBucket(client, rules, { name, session })
      open = new PartSeries(bucket, session)
      await bucket.prepare()
      return undefined
    },
    async write({ items, mark, signal }) {
      return { mark: await opened().add(items, mark, signal).catch(down) }
    },
    async finish() {
      await opened().finish()
    },
    async close() {
      await open?.close()
      open = undefined
    },
  }
}

/** What fails is the store or the way to it: there is nothing that an item can do wrong. */
function down(cause: unknown): never {
  throw new SinkDown(cause instanceof Error ? cause.message : String(cause), { cause })
}

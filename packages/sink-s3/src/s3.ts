// The sink: items go as lines into objects, which are marked when they are complete.
import type { Json } from '@avocet/core'
import { reportedOptions } from '@avocet/core/plugin'
import type { Sink } from '@avocet/core/sink'
import { inParts } from '@avocet/delivery/files'
import { OpenBucket } from './open-bucket.ts'
import { checkS3, credentialsOf, type S3Options, s3Rules } from './options.ts'
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
  const { changes = false, name = `s3:${bucket}${prefix ? `/${prefix}` : ''}` } = options
  return {
    name,
    changes,
    ...(filter !== undefined && { filter }),
    ...(options.columns && { columns: options.columns }),
    options: { bucket, ...(prefix !== undefined && { prefix }), ...reportedOptions(shown) },
    ...inParts(async (session) => {
      const { filter: _filter, ...rest } = options
      const rules = s3Rules(rest)
      const { AwsClient } = await import('aws4fetch')
      const aws = new AwsClient({ ...(await credentialsOf(credentials)), service: 's3', region: rules.region, retries: 0 })
      const client = new S3Client({ bucketUrl: rules.bucketUrl, aws, clock: session.clock, fetch })
      const opened = new OpenBucket(client, rules, { name, session })
      await opened.prepare()
      return opened
    }),
  }
}

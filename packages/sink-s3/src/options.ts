// The options of the sink, their check, and what follows from them: the address of the bucket and the names of objects.
import { AvocetError, type Json } from '@avocet/core'
import { checkOptions, option, wrongOption, type OptionRules } from '@avocet/core/plugin'
import type { SinkItem } from '@avocet/core/sink'

/** Options of `s3`. */
export interface S3Options<Item = Json> {
  readonly bucket: string
  /** What the names of objects begin with, without a slash at the end: `offers` makes `offers/000001.jsonl.gz`. Default: nothing. */
  readonly prefix?: string
  /** Default: AWS_REGION or AWS_DEFAULT_REGION; with an `endpoint`, `us-east-1`. */
  readonly region?: string
  /** URL of a compatible store, such as `https://minio.example:9000`. Default: AWS_ENDPOINT_URL_S3, or that of AWS. */
  readonly endpoint?: string
  /** Whether the bucket is in the path of URLs, not in the host name. Default: true with an `endpoint`. */
  readonly pathStyle?: boolean
  /** Default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. A function is called whenever the sink opens. */
  readonly credentials?: CredentialsOption
  /** A line of JSON for each item, or of CSV. Default `jsonl`. */
  readonly format?: 'jsonl' | 'csv'
  /** Fields of a CSV file, in order. Needed for `csv`. */
  readonly columns?: readonly string[]
  /** Default true. */
  readonly gzip?: boolean
  /** Size at which an object is finished, as it is stored. Bytes; default 64 MiB. */
  readonly maxBytes?: number
  /** Age at which an object is finished. Its items can be read only then. Ms; default 300,000. */
  readonly everyMs?: number
  /** Which items are written. Default: all. */
  readonly filter?: (item: SinkItem<Item>) => boolean
  /** Writes changes of watched items (`ItemChange`) instead of items. */
  readonly changes?: boolean
  /** Name of the sink, unique in its crawl. Default: `s3:`, the bucket and the prefix. */
  readonly name?: string
  /** Sends the requests. Default: the `fetch` of Node.js. */
  readonly fetch?: typeof globalThis.fetch
}

/** All of them, ready for use. */
export interface S3Rules {
  readonly bucket: string
  /** URL of the bucket, without a slash at the end. */
  readonly bucketUrl: string
  readonly region: string
  /** Empty, or with a slash at the end. */
  readonly prefix: string
  readonly extension: string
  readonly columns: readonly string[] | undefined
  readonly gzip: boolean
  readonly maxBytes: number
  readonly everyMs: number
}

const CREDENTIALS: OptionRules<S3Credentials> = {
  accessKeyId: option.needed(option.nonEmptyText),
  secretAccessKey: option.needed(option.nonEmptyText),
  sessionToken: option.nonEmptyText,
}

/** A message about credentials names none of them. */
const credentials = option.satisfying(
  'an object with accessKeyId, secretAccessKey and perhaps sessionToken, or a function',
  (value) => option.either(option.callback, option.tableOf(CREDENTIALS)).problem(value, '') === undefined,
)

const RULES: OptionRules<S3Options> = {
  bucket: option.needed(
    option.satisfying('the name of a bucket', (bucket) => typeof bucket === 'string' && /^[\w.-]{1,255}$/.test(bucket)),
  ),
  prefix: option.satisfying("a text without '.' or '..' between its slashes", isPrefix),
  region: option.nonEmptyText,
  endpoint: option.satisfying('an http(s) URL without user, query or fragment', isEndpoint),
  pathStyle: option.flag,
  credentials: {
    ...credentials,
    problem: (value, path) =>
      credentials.problem(value, path) === undefined ? undefined : `expected ${path} to be ${credentials.expected}`,
  },
  format: option.oneOf('jsonl', 'csv'),
  columns: option.listOf(option.nonEmptyText),
  gzip: option.flag,
  maxBytes: option.wholeNumber(1, 48 * 1024 ** 3),
  everyMs: option.positive,
  filter: option.callback,
  changes: option.flag,
  name: option.nonEmptyText,
  fetch: option.callback,
}

/** Checks all options, as far as they do not depend on the environment. Throws AVO_CONFIG_INVALID. */
export function checkS3(options: object): void {
  checkOptions('s3', options, RULES)
  const { format, columns } = options as S3Options
  if (format === 'csv' && (columns?.length ?? 0) === 0) throw wrongOption('s3: columns', 'a list of fields for csv', columns)
  if (format !== 'csv' && columns !== undefined) throw wrongOption('s3: columns', 'left out, unless format is csv', columns)
}

/** Fills in the defaults, also from the environment. Throws AVO_CONFIG_INVALID. */
export function s3Rules(options: Omit<S3Options, 'filter'>): S3Rules {
  const { AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_DEFAULT_REGION } = process.env
  const { bucket, prefix = '', format = 'jsonl', columns, gzip = true, maxBytes = 64 * 1024 * 1024, everyMs = 300_000 } = options
  const endpoint = options.endpoint ?? (AWS_ENDPOINT_URL_S3 || undefined)
  if (endpoint !== undefined && !isEndpoint(endpoint))
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      'expected AWS_ENDPOINT_URL_S3 to be an http(s) URL without user, query or fragment',
    )
  const region = options.region ?? (AWS_REGION || AWS_DEFAULT_REGION || (endpoint === undefined ? undefined : 'us-east-1'))
  if (region === undefined)
    throw new AvocetError('AVO_CONFIG_INVALID', 'expected the region of the bucket, got none; set region or AWS_REGION')
  return {
    bucket,
    bucketUrl: bucketUrlOf(options, region, endpoint),
    region,
    prefix: prefix === '' ? '' : `${prefix}/`,
    extension: `.${format}${gzip ? '.gz' : ''}`,
    columns: format === 'csv' ? columns : undefined,
    gzip,
    maxBytes,
    everyMs,
  }
}

/** The certificate of AWS covers no bucket with a dot in its name, so such a bucket goes into the path. */
function bucketUrlOf({ bucket, pathStyle }: Pick<S3Options, 'bucket' | 'pathStyle'>, region: string, endpoint?: string): string {
  const isInPath = pathStyle ?? (endpoint !== undefined || bucket.includes('.'))
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (!isInPath) url.hostname = `${bucket}.${url.hostname}`
  const base = url.href.replace(/\/+$/, '')
  return isInPath ? `${base}/${bucket}` : base
}

function isEndpoint(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
}

function isPrefix(value: unknown): boolean {
  if (typeof value !== 'string') return false
  return (
    value === '' ||
    (value.length <= 900 && value.split('/').every((part) => !['', '.', '..'].includes(part)) && value.isWellFormed())
  )
}

// Where the credentials of the sink come from. They are read whenever the sink opens, so new ones are used without a restart.

/** Credentials of an object store. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string
}

/** What `s3` may be given instead of the environment. */
type CredentialsOption = S3Credentials | (() => S3Credentials | Promise<S3Credentials>)

/** As given, or from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Throws AVO_CONFIG_INVALID without their values. */
export async function credentialsOf(option: CredentialsOption | undefined): Promise<S3Credentials> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env
  const given = typeof option === 'function' ? await option() : option
  const { accessKeyId = AWS_ACCESS_KEY_ID, secretAccessKey = AWS_SECRET_ACCESS_KEY } = given ?? {}
  const sessionToken = given === undefined ? AWS_SESSION_TOKEN : given.sessionToken
  if (!isText(accessKeyId) || !isText(secretAccessKey))
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      `expected credentials for S3, got no ${isText(accessKeyId) ? 'secret access key' : 'access key id'}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
    )
  return { accessKeyId, secretAccessKey, ...(isText(sessionToken) && { sessionToken }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

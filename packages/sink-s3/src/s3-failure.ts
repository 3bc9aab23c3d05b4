// What went wrong at an object store, in words that say what to do. Of an answer only its status and its code are quoted: messages repeat access keys.

/** An answer that is no success. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure'
  readonly status: number
  /** As S3 names it, such as `SlowDown`; empty if the answer has none. */
  readonly code: string

  /** `what`: what was asked for, such as `PUT offers/000001.jsonl.gz`. */
  constructor(what: string, answer: { readonly status: number; readonly code: string; readonly region?: string | undefined }) {
    const { status, code, region } = answer
    const remedy = remedyOf(status, code, region)
    super(
      `expected ${what} to succeed, got ${code === '' ? '' : `${code}, `}status ${status}${remedy === undefined ? '' : `; ${remedy}`}`,
    )
    this.status = status
    this.code = code
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create the bucket, or correct bucket, region and endpoint',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY',
  ExpiredToken: 'the temporary credentials have expired: set new ones, or give credentials as a function',
  InvalidToken: 'check AWS_SESSION_TOKEN',
  RequestTimeTooSkewed: "set this machine's clock",
  AuthorizationHeaderMalformed: 'check the region',
  SlowDown: 'the store asks for fewer requests',
}

function remedyOf(status: number, code: string, region: string | undefined): string | undefined {
  if (region !== undefined && (status === 301 || status === 400))
    return `the bucket is in another region: set region to ${region}`
  if (status === 301 || status === 307) return 'the bucket is in another region or at another endpoint'
  const remedy = REMEDIES[code]
  if (remedy !== undefined) return remedy
  if (status === 403)
    return 'the credentials need s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload'
  if (status === 404) return REMEDIES['NoSuchBucket']
  return undefined
}

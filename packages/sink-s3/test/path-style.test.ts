// Where the name of the bucket goes: into the path, or before the name of the host.
import { expect, it } from 'vitest'
import { s3Rules } from '../src/options.ts'

it.each([
  ['https://minio.example', undefined, 'teas', 'https://minio.example/teas'],
  ['https://minio.example', false, 'teas', 'https://teas.minio.example'],
  ['https://s3.eu-west-1.amazonaws.com', true, 'teas', 'https://s3.eu-west-1.amazonaws.com/teas'],
])('at %s with pathStyle %s the bucket %s is %s', (endpoint, pathStyle, bucket, url) => {
  const options = { bucket, endpoint, region: 'eu-west-1', ...(pathStyle !== undefined && { pathStyle }) }

  expect(s3Rules(options).bucketUrl).toBe(url)
})

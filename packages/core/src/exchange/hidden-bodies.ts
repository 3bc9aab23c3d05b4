// Bodies that nobody but the server sees, such as that of a login: requests have a reference in their place, and the body is found again by the request.
import type { Request } from '../request.ts'
import { SECRET_REFERENCE } from '../secrets/reference.ts'

const hidden = new WeakMap<Request, string>()

/** `request` with `body`, which it does not show. */
export function withHiddenBody(request: Request, body: string): Request {
  const shown: Request = { ...request, body: SECRET_REFERENCE }
  hidden.set(shown, body)
  return shown
}

/** The body that `request` is sent with. */
export function sentBodyOf(request: Request): string | undefined {
  return hidden.get(request) ?? request.body
}

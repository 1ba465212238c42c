export { type AddressReader, type AddressReaderOptions, createAddressReader } from './address-reader.ts'
export { HttpError, type HttpErrorCode } from './errors.ts'
export { fromFetchRequest } from './fetch-request.ts'
export {
  allowSameSiteRequests,
  createForgeryCheck,
  type ForgeryCheck,
  type ForgeryCheckOptions,
  type OriginVerdict,
} from './forgery-check.ts'
export { createHttpHandler, type HttpHandler, type HttpHandlerOptions } from './http-handler.ts'
export type { HttpReply, HttpStream } from './http-reply.ts'
export type { HttpRequest } from './http-request.ts'
export {
  createIdentityReader,
  type IdentityReader,
  type IdentityReaderOptions,
  type IdentityReading,
} from './identity-reader.ts'
export { isLocalPath } from './is-local-path.ts'
export { isProduction } from './is-production.ts'
export { readBearer } from './read-bearer.ts'
export { createReply, type Reply } from './reply.ts'
export {
  createSecurityHeaders,
  type PageHeadersOptions,
  type SecurityHeaders,
  type SecurityHeadersOptions,
} from './security-headers.ts'
export {
  allowPlainHttpOnLoopback,
  createSessionCookie,
  type SessionCookie,
  type SessionCookieOptions,
} from './session-cookie.ts'

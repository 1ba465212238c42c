export { type AddressReader, type AddressReaderOptions, createAddressReader } from './addresses/address-reader.ts'
export { createRequestIds, type RequestIds, type RequestIdsOptions } from './addresses/request-ids.ts'
export { allowAnyOrigin, type Cors, type CorsOptions, createCors } from './cors.ts'
export {
  allowSameSiteRequests,
  createForgeryCheck,
  type ForgeryCheck,
  type ForgeryCheckOptions,
  type OriginVerdict,
} from './credentials/forgery-check.ts'
export {
  type CredentialRequest,
  createIdentityReader,
  type IdentityReader,
  type IdentityReaderOptions,
  type IdentityReading,
} from './credentials/identity-reader.ts'
export { readBearer } from './credentials/read-bearer.ts'
export {
  allowPlainHttpOnLoopback,
  createSessionCookie,
  type SessionCookie,
  type SessionCookieOptions,
} from './credentials/session-cookie.ts'
export { HttpError, type HttpErrorCode, isHttpError } from './errors.ts'
export { escapeHtml } from './escape-html.ts'
export type { FetchContext } from './fetch/fetch-context.ts'
export { fromFetchRequest } from './fetch/fetch-request.ts'
export { createHttpHandler, type HttpHandler, type HttpHandlerOptions } from './fetch/http-handler.ts'
export { findCors } from './find-cors.ts'
export { createHostCheck, type HostCheck, type HostCheckOptions, type HostVerdict } from './hosts/host-check.ts'
export type { HttpReply, HttpStream } from './http-reply.ts'
export type { HttpRequest } from './http-request.ts'
export { isLocalPath } from './is-local-path.ts'
export { isProduction } from './is-production.ts'
export { createReplyHeaders, type ReplyHeaders } from './reply-headers.ts'
export {
  createSecurityHeaders,
  type PageHeadersOptions,
  type SecurityHeaders,
  type SecurityHeadersOptions,
} from './security-headers.ts'

import { createForgeryCheck, type ForgeryCheck } from '@latchkey/http'
import type { ServerContext } from '../context/server-context.ts'
import { createKeptParameters, type KeptParameters } from './kept-parameters.ts'
import { createPendingRequests, type PendingRequests } from './pending-requests.ts'
import { createPostedParameters, type PostedParameters } from './posted-parameters.ts'
import { createSealedValues } from './sealed-values.ts'

/** The further parts of the authorization. */
export interface AuthorizationParts extends ServerContext {
  /** Requests that wait for their user. */
  readonly pending: PendingRequests
  /** Requests that clients have pushed (RFC 9126). */
  readonly pushed: KeptParameters
  /** Requests that pages of other sites have posted. They are checked after a page of this server sends them again. */
  readonly posted: PostedParameters
  /** Makes and checks the tokens of forms. */
  readonly forms: Pick<ForgeryCheck, 'createToken' | 'verifyToken'>
}

/** The lifetime of a pushed request (RFC 9126 §2.2). */
export const pushedSeconds = 60
const postedSeconds = 300

export function createAuthorizationParts(context: ServerContext): AuthorizationParts {
  const { records, now, issuer, secretsFor, storedVersion } = context
  const ofPosted = { now, kind: 'pp', ttlSeconds: postedSeconds }
  return {
    ...context,
    pending: createPendingRequests(context),
    pushed: createKeptParameters({ records, now, storedVersion, kind: 'pr', ttlSeconds: pushedSeconds }),
    posted: createPostedParameters({
      sealed: createSealedValues({ ...ofPosted, secrets: secretsFor('posted') }),
      kept: createKeptParameters({ ...ofPosted, records, storedVersion }),
      storedVersion,
    }),
    forms: createForgeryCheck({ origins: [issuer], secrets: secretsFor('forms') }),
  }
}

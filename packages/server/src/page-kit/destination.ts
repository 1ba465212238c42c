import type { HttpRequest } from '@latchkey/http'
import type { WaitingAuthorization } from '../options/oauth/authorization-server.ts'
import { findAskingClient } from './asking-client.ts'
import { hidden } from './html/field.ts'
import { type Html, html, nothing } from './html/html.ts'
import type { PageParts } from './page-parts.ts'
import { readReturnTo, withReturn } from './return-path.ts'

/** Where a browser was going before it came to the pages in between. */
export interface Destination {
  /** `null`: to the home of the application. */
  readonly returnTo: string | null
  /** The request of a client that goes on there; `null`: that of none. */
  readonly asking: WaitingAuthorization | null
}

/** Reads where to go on to from what a query or a form has. */
export async function readDestination(
  request: HttpRequest,
  parts: Pick<PageParts, 'authorization' | 'frame'>,
  text: string | null | undefined,
): Promise<Destination> {
  const returnTo = readReturnTo(text, parts.frame)
  return { returnTo, asking: await findAskingClient(request, parts, returnTo) }
}

/** Returns the field by which a form carries on where to go. */
export function returnField(returnTo: string | null): Html {
  return returnTo === null ? nothing : hidden('return_to', returnTo)
}

/** Returns the link to the sign-in that goes on there. */
export function signInLink(returnTo: string | null, text: string): Html {
  return html`<p><a href="${withReturn('/sign-in', returnTo)}">${text}</a></p>`
}

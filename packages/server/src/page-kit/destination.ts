import type { HttpRequest } from '@latchkey/http'
import type { WaitingAuthorization } from '../options/oauth/authorization-server.ts'
import { findAskingClient } from './asking-client.ts'
import { hidden } from './html/field.ts'
import { type Html, html, nothing } from './html/html.ts'
import type { PageParts } from './page-parts.ts'
import { readReturnTo, withReturn } from './return-path.ts'

/** The destination of a browser after the pages in between. */
export interface Destination {
  /** `null`: to the home of the application. */
  readonly returnTo: string | null
  /** The client's request that continues at `returnTo`, or `null`. */
  readonly asking: WaitingAuthorization | null
}

/** Reads the destination from the value of a query or form. */
export async function readDestination(
  request: HttpRequest,
  parts: Pick<PageParts, 'authorization' | 'frame'>,
  text: string | null | undefined,
): Promise<Destination> {
  const returnTo = readReturnTo(text, parts.frame)
  return { returnTo, asking: await findAskingClient(request, parts, returnTo) }
}

/** Returns the field that passes the destination on. */
export function returnField(returnTo: string | null): Html {
  return returnTo === null ? nothing : hidden('return_to', returnTo)
}

/** Returns the link to the sign-in that continues at `returnTo`. */
export function signInLink(returnTo: string | null, text: string): Html {
  return html`<p><a href="${withReturn('/sign-in', returnTo)}">${text}</a></p>`
}

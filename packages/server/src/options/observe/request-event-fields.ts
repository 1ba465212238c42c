import type { EventFacts } from '@latchkey/core/internal'
import type { AddressReader, HttpRequest } from '@latchkey/http'
import type { RequestIds } from '@latchkey/http/internal'

/** What an event outside of GraphQL says of its request. */
export type RequestEventFields = Pick<EventFacts, 'address' | 'requestId'>

/** Returns from where a request came, as attempts are counted by it, and its id. */
export function requestEventFields(
  request: HttpRequest,
  { addresses, requestIds }: { readonly addresses: AddressReader; readonly requestIds: RequestIds },
): RequestEventFields {
  const address = addresses.read(request)
  return { address: address === null ? null : addresses.limitKey(address), requestId: requestIds.of(request) }
}

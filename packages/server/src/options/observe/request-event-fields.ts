import type { EventFacts } from '@latchkey/core/internal'
import type { AddressReader, HttpRequest } from '@latchkey/http'
import type { RequestIds } from '@latchkey/http/internal'

/** The fields about the request in an event outside GraphQL. */
export type RequestEventFields = Pick<EventFacts, 'address' | 'requestId'>

/** Returns the id of a request and its address, in the form in which attempts are counted. */
export function requestEventFields(
  request: HttpRequest,
  { addresses, requestIds }: { readonly addresses: AddressReader; readonly requestIds: RequestIds },
): RequestEventFields {
  const address = addresses.read(request)
  return { address: address === null ? null : addresses.limitKey(address), requestId: requestIds.of(request) }
}

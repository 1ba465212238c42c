import type { ObjectNamespace } from '../../src/remote-stores.ts'

export { StoresObject } from '../../src/stores-object.ts'

/** Opens the Durable Object to the tests. */
export default {
  async fetch(request: Request, { STORES }: { readonly STORES: ObjectNamespace }): Promise<Response> {
    return STORES.getByName('stores').fetch('https://stores/', { method: 'POST', body: await request.text() })
  },
}

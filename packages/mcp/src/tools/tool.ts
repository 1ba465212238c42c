import type { OperationAccess } from '@latchkey/graphql/internal'
import type { JsonSchema } from '../schemas/leaf-schema.ts'

/** A tool, read from its document. */
export interface Tool {
  readonly name: string
  readonly kind: 'query' | 'mutation'
  readonly document: string
  /** SHA-256 of the document, in hexadecimal. */
  readonly documentHash: string
  readonly variables: ReadonlySet<string>
  readonly access: OperationAccess
  /** The entry of `tools/list`. */
  readonly listed: {
    readonly name: string
    readonly title?: string
    readonly description: string
    readonly inputSchema: JsonSchema & { readonly type: 'object' }
    readonly outputSchema: JsonSchema & { readonly type: 'object' }
    readonly annotations: {
      readonly readOnlyHint: boolean
      readonly destructiveHint: boolean
      readonly openWorldHint: false
    }
    readonly _meta: Readonly<Record<string, unknown>>
  }
}

import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { toNodeListener } from '@latchkey/http/node'
import { AbstractGraphQLDriver, type GqlModuleOptions } from '@nestjs/graphql'
import { identify, policy } from './policy.ts'

/** Takes the schema that NestJS has made, proves that each field has a rule, and mounts the handler at its path. */
export class LatchkeyDriver extends AbstractGraphQLDriver {
  override async start(options: GqlModuleOptions): Promise<void> {
    const { schema } = options
    if (!schema) throw new TypeError('NestJS made no schema')
    const handler = createGraphqlHandler({ access: compileAccess({ schema, policy }), identify })
    this.httpAdapterHost.httpAdapter.use(this.getNormalizedPath(options), toNodeListener(handler))
  }

  override async stop(): Promise<void> {}
}

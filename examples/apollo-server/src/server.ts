import { ApolloServer } from '@apollo/server'
import { access, handler } from './access.ts'
import { protect } from './protect.ts'

/** With the sealed schema, a server without the plugin serves no data. */
export const server = new ApolloServer({ schema: access.sealed, introspection: false, plugins: [protect(handler)] })

import { ApolloServer } from '@apollo/server'
import { access, handler } from './access.ts'
import { protect } from './protect.ts'

/** The sealed schema executes nothing by itself: to forget the plugin serves no data. */
export const server = new ApolloServer({ schema: access.sealed, introspection: false, plugins: [protect(handler)] })

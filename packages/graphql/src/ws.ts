export {
  createSocketHandler,
  type SocketHandler,
  type SocketHandlerOptions,
  type SubscriptionSocket,
} from './create-socket-handler.ts'

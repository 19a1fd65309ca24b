// Keys for seeing a stream on both sides of a hop.
import { readEdgeListeners, readPeer } from './edges.ts';
import { key } from './key-spec.ts';

export const HOP_KEYS = {
  edge: key({
    placeholder: '[NAME@]HOST:PORT=URL',
    isList: true,
    fallback: '',
    help: "Listens before a gateway too and passes on to it: clients → HOST:PORT → the gateway at URL → --listen → the engine. What the gateway holds back is then measured. NAME is the gateway's label, by default its host and port.",
    read: readEdgeListeners,
  }),
  peer: key({
    placeholder: '[NAME@]URL',
    help: 'Admin port of another rubato, behind the gateway that is the upstream here. It is asked after each exchange when which part of the text came, and never for the text.',
    read: readPeer,
  }),
};

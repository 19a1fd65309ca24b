// Goal: a system's own files about names are read as the system reads them.
// Method: texts as they stand on real machines, and the odd lines that resolv.conf(5) and hosts(5) allow.
import { describe, expect, test } from 'vitest';
import { fullNames, hostsAddresses, resolverRules } from '../../../src/relay/name-files.ts';

describe('resolv.conf', () => {
  test('of a pod has search domains and asks for five dots', () => {
    const text =
      'search prod.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5 edns0\n';
    expect(resolverRules(text)).toEqual({
      search: ['prod.svc.cluster.local', 'svc.cluster.local', 'cluster.local'],
      ndots: 5,
    });
  });

  test('without either has none and asks for one', () => {
    expect(resolverRules('# made by hand\nnameserver 1.1.1.1\n')).toEqual({ search: [], ndots: 1 });
    expect(resolverRules('')).toEqual({ search: [], ndots: 1 });
  });

  test('the last of search and domain counts, six domains and fifteen dots at most', () => {
    expect(resolverRules('search a b\ndomain c\n').search).toEqual(['c']);
    expect(resolverRules('search a b c d e f g\noptions ndots:99\n')).toEqual({
      search: ['a', 'b', 'c', 'd', 'e', 'f'],
      ndots: 15,
    });
    expect(resolverRules('search .\noptions ndots:x\n')).toEqual({ search: [], ndots: 1 });
  });
});

describe('a name', () => {
  const rules = { search: ['ns.svc', 'svc.'], ndots: 2 };

  test('with fewer dots is looked for in the domains first', () => {
    expect(fullNames('vllm', rules)).toEqual(['vllm.ns.svc', 'vllm.svc', 'vllm']);
    expect(fullNames('vllm.other', rules)).toEqual(['vllm.other.ns.svc', 'vllm.other.svc', 'vllm.other']);
  });

  test('with as many is taken as it stands first', () => {
    expect(fullNames('a.b.c', rules)).toEqual(['a.b.c', 'a.b.c.ns.svc', 'a.b.c.svc']);
  });

  test('that ends with a dot stands for itself', () => {
    expect(fullNames('api.example.', rules)).toEqual(['api.example']);
  });
});

describe('hosts', () => {
  const text = '127.0.0.1\tlocalhost loopback # v4\n::1 localhost\n#10.0.0.1 vllm\n10.0.0.2 x VLLM\nnonsense vllm\n';

  test('gives every address of a name in its order, whatever the case', () => {
    expect(hostsAddresses(text, 'LocalHost')).toEqual(['127.0.0.1', '::1']);
    expect(hostsAddresses(text, 'vllm.')).toEqual(['10.0.0.2']);
  });

  test('gives nothing of others, and nothing of what is no address or a comment', () => {
    expect(hostsAddresses(text, 'v4')).toEqual([]);
    expect(hostsAddresses('', 'vllm')).toEqual([]);
  });
});

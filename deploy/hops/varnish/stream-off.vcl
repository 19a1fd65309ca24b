# do_stream off: the answer is fetched whole before its first byte leaves.
vcl 4.1;

backend engine {
  .host = "${UPSTREAM_HOST}";
  .port = "${UPSTREAM_PORT}";
  .first_byte_timeout = 600s;
  .between_bytes_timeout = 600s;
}

sub vcl_recv {
  return (pass);
}

sub vcl_backend_response {
  set beresp.do_stream = false;
}

# do_gzip: the answer is compressed while it is fetched.
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
  set beresp.do_gzip = true;
}
